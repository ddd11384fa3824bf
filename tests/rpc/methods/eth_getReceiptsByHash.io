// spec: rpc 6.12: eth_getReceiptsByHash
>> {"jsonrpc":"2.0","id":1,"method":"eth_getReceiptsByHash","params":["${block}"]}
<< {"id":1,"jsonrpc":"2.0","result":[{"blockHash":"${block}","blockNumber":"0x1","contractAddress":null,"cumulativeGasUsed":"0x5208","effectiveGasPrice":"0x2b4abd176000","from":"${sender}","gasUsed":"0x5208","logs":[{"address":"<address>","blockHash":"${block}","blockNumber":"0x1","blockTimestamp":"<quantity>","data":"<hash>","logIndex":"0x0","removed":false,"topics":["<hash>","<hash>","<hash>"],"transactionHash":"${mined}","transactionIndex":"0x0"}],"logsBloom":"<data>","status":"0x1","to":"${recipient}","transactionHash":"${mined}","transactionIndex":"0x0","type":"0x2"}]}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getReceiptsByHash","params":["0x0000000000000000000000000000000000000000000000000000000000000001"]}
<< {"id":1,"jsonrpc":"2.0","result":null}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getReceiptsByHash","params":["0x1"]}
<< {"error":{"code":-32602,"message":"invalid argument 0: cannot unmarshal hex string of odd length as Hash"},"id":1,"jsonrpc":"2.0"}
