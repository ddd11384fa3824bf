// spec: rpc 5: eth_fillTransaction
>> {"jsonrpc":"2.0","id":1,"method":"eth_fillTransaction","params":[{"from":"${sender}","to":"${recipient}","value":"0x1"}]}
<< {"id":1,"jsonrpc":"2.0","result":{"raw":"<data>","tx":{"accessList":[],"chainId":"0x539","gas":"0x5208","gasPrice":null,"hash":"<hash>","input":"0x","maxFeePerGas":"0x3d7b59fca000","maxPriorityFeePerGas":"0x191a20322000","nonce":"0x1","r":"0x0","s":"0x0","to":"${recipient}","type":"0x2","v":"0x0","value":"0x1","yParity":"0x0"}}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_fillTransaction","params":[{"from":"${sender}","to":"${recipient}","feePayer":"${payer}"}]}
<< {"error":{"code":-32000,"message":"feePayer has no place in the transaction that the sender signs: leave it out here, have the sender sign, and let the fee payer sign with eth_signRawFeeDelegateTransaction or personal_signRawFeeDelegateTransaction"},"id":1,"jsonrpc":"2.0"}
