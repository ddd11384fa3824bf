// spec: rpc 9.4, 6.10: a fee payer of the node signs, and the result is submitted
>> {"jsonrpc":"2.0","id":1,"method":"eth_signRawFeeDelegateTransaction","params":[{"feePayer":"${payer}"},"${good}"]}
<< {"id":1,"jsonrpc":"2.0","result":{"raw":"<data>","tx":{"accessList":[],"chainId":"0x539","feePayer":"${sender}","fr":"<hash>","fs":"<hash>","fv":"0x0","gas":"0x186a0","gasPrice":null,"hash":"<hash>","input":"0x","maxFeePerGas":"0x5af3107a4000","maxPriorityFeePerGas":"0x191a20322000","nonce":"0x0","r":"<hash>","s":"<hash>","to":"${recipient}","type":"0x16","v":"0x0","value":"0x1","yParity":"0x0"}}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["${raw}"]}
<< {"id":1,"jsonrpc":"2.0","result":"<hash>"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_signRawFeeDelegateTransaction","params":[{"from":"${payer}"},"${good}"]}
<< {"error":{"code":-32000,"message":"missing FeePayer: name the account that pays the gas in feePayer"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_signRawFeeDelegateTransaction","params":[{"feePayer":"${payer}"}]}
<< {"error":{"code":-32602,"message":"missing value for required argument 1"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_signRawFeeDelegateTransaction","params":[{"feePayer":"${payer}"},"0x"]}
<< {"error":{"code":-32000,"message":"typed transaction too short: give all bytes of the signed transaction, in hexadecimal after 0x"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_signRawFeeDelegateTransaction","params":[{"feePayer":"${payer}"},"${delegated tx}"]}
<< {"error":{"code":-32000,"message":"senderTx type error: the sender has to sign a transaction of type 2, with maxFeePerGas and maxPriorityFeePerGas, before the fee payer adds its signature"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_signRawFeeDelegateTransaction","params":[{"feePayer":"${recipient}"},"${good}"]}
<< {"error":{"code":-32000,"message":"unknown account"},"id":1,"jsonrpc":"2.0"}
