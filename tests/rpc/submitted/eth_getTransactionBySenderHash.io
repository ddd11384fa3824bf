// spec: transactions 5: eth_getTransactionBySenderHash
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionBySenderHash","params":["${sender hash}"]}
<< {"id":1,"jsonrpc":"2.0","result":{"accessList":[],"blockHash":"<hash>","blockNumber":"0x4","blockTimestamp":"<quantity>","chainId":"0x539","feePayer":"${sender}","fr":"<hash>","from":"<address>","fs":"<hash>","fv":"0x1","gas":"0x186a0","gasPrice":"0x2b4abd176000","hash":"${delegated}","input":"0x","maxFeePerGas":"0x5af3107a4000","maxPriorityFeePerGas":"0x191a20322000","nonce":"0x0","r":"<hash>","s":"<hash>","senderTransactionHash":"${sender hash}","to":"${recipient}","transactionIndex":"0x0","type":"0x16","v":"0x1","value":"0x1","yParity":"0x1"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionBySenderHash","params":["${delegated}"]}
<< {"id":1,"jsonrpc":"2.0","result":null}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionBySenderHash","params":["0x0000000000000000000000000000000000000000000000000000000000000001"]}
<< {"id":1,"jsonrpc":"2.0","result":null}
