// spec: rpc 8: eth_sendRawTransactionSync
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransactionSync","params":["${good 2}"]}
<< {"id":1,"jsonrpc":"2.0","result":{"blockHash":"<hash>","blockNumber":"0x3","contractAddress":null,"cumulativeGasUsed":"0x5208","effectiveGasPrice":"0x2b4abd176000","from":"<address>","gasUsed":"0x5208","logs":[{"address":"<address>","blockHash":"<hash>","blockNumber":"0x3","blockTimestamp":"<quantity>","data":"<hash>","logIndex":"0x0","removed":false,"topics":["<hash>","<hash>","<hash>"],"transactionHash":"<hash>","transactionIndex":"0x0"}],"logsBloom":"<data>","status":"0x1","to":"${recipient}","transactionHash":"<hash>","transactionIndex":"0x0","type":"0x2"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransactionSync","params":["${good 2}"]}
<< {"error":{"code":-32000,"message":"nonce too low: next nonce 2, tx nonce 1"},"id":1,"jsonrpc":"2.0"}
