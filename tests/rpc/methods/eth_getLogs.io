// spec: rpc 2.6, 7: eth_getLogs
>> {"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x1","toBlock":"0x1","address":"0x0000000000000000000000000000000000001000"}]}
<< {"id":1,"jsonrpc":"2.0","result":[{"address":"<address>","blockHash":"${block}","blockNumber":"0x1","blockTimestamp":"<quantity>","data":"<hash>","logIndex":"0x0","removed":false,"topics":["<hash>","<hash>","<hash>"],"transactionHash":"${mined}","transactionIndex":"0x0"}]}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x0","toBlock":"0xffff"}]}
<< {"id":1,"jsonrpc":"2.0","result":[{"address":"<address>","blockHash":"${block}","blockNumber":"0x1","blockTimestamp":"<quantity>","data":"<hash>","logIndex":"0x0","removed":false,"topics":["<hash>","<hash>","<hash>"],"transactionHash":"${mined}","transactionIndex":"0x0"}]}
