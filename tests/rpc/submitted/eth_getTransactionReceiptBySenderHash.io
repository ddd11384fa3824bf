// spec: transactions 5: eth_getTransactionReceiptBySenderHash
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionReceiptBySenderHash","params":["${sender hash}"]}
<< {"id":1,"jsonrpc":"2.0","result":{"blockHash":"<hash>","blockNumber":"0x4","contractAddress":null,"cumulativeGasUsed":"0x5208","effectiveGasPrice":"0x2b4abd176000","feePayer":"${sender}","from":"<address>","gasUsed":"0x5208","logs":[{"address":"<address>","blockHash":"<hash>","blockNumber":"0x4","blockTimestamp":"<quantity>","data":"<hash>","logIndex":"0x0","removed":false,"topics":["<hash>","<hash>","<hash>"],"transactionHash":"${delegated}","transactionIndex":"0x0"}],"logsBloom":"<data>","senderTransactionHash":"${sender hash}","status":"0x1","to":"${recipient}","transactionHash":"${delegated}","transactionIndex":"0x0","type":"0x16"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionReceiptBySenderHash","params":["${delegated}"]}
<< {"id":1,"jsonrpc":"2.0","result":null}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionReceiptBySenderHash","params":["0x0000000000000000000000000000000000000000000000000000000000000001"]}
<< {"id":1,"jsonrpc":"2.0","result":null}
