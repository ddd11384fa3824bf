// spec: rpc 2.6: eth_getFilterLogs
>> {"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[{"fromBlock":"0x1","toBlock":"0x1"}]}
<< {"id":1,"jsonrpc":"2.0","result":"<quantity>"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getFilterLogs","params":["${result}"]}
<< {"id":1,"jsonrpc":"2.0","result":[{"address":"<address>","blockHash":"${block}","blockNumber":"0x1","blockTimestamp":"<quantity>","data":"<hash>","logIndex":"0x0","removed":false,"topics":["<hash>","<hash>","<hash>"],"transactionHash":"${mined}","transactionIndex":"0x0"}]}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getFilterLogs","params":["0x1"]}
<< {"error":{"code":-32000,"message":"filter not found"},"id":1,"jsonrpc":"2.0"}
