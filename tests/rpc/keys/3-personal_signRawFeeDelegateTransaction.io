// spec: rpc 9.4, 6.11: a fee payer of the node signs with a password
>> {"jsonrpc":"2.0","id":1,"method":"personal_signRawFeeDelegateTransaction","params":[{"feePayer":"${payer}"},"${good 2}","password"]}
<< {"id":1,"jsonrpc":"2.0","result":{"raw":"<data>","tx":{"accessList":[],"chainId":"0x539","feePayer":"${sender}","fr":"<hash>","fs":"0xc77d85973b9d3be9cf36b58360c1c8c7884739fcb459ec8c50c006f8e503b97","fv":"0x0","gas":"0x186a0","gasPrice":null,"hash":"<hash>","input":"0x","maxFeePerGas":"0x5af3107a4000","maxPriorityFeePerGas":"0x191a20322000","nonce":"0x1","r":"<hash>","s":"<hash>","to":"${recipient}","type":"0x16","v":"0x1","value":"0x1","yParity":"0x1"}}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["${raw}"]}
<< {"id":1,"jsonrpc":"2.0","result":"<hash>"}
>> {"jsonrpc":"2.0","id":1,"method":"personal_signRawFeeDelegateTransaction","params":[{"feePayer":"${payer}"},"${good 2}"]}
<< {"error":{"code":-32602,"message":"missing value for required argument 2"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"personal_signRawFeeDelegateTransaction","params":[{"feePayer":"${recipient}"},"${good 2}","password"]}
<< {"error":{"code":-32000,"message":"unknown account"},"id":1,"jsonrpc":"2.0"}
