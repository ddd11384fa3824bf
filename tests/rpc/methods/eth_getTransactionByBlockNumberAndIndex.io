// spec: rpc 4.1, 7: eth_getTransactionByBlockNumberAndIndex
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByBlockNumberAndIndex","params":["0x1","0x0"]}
<< {"id":1,"jsonrpc":"2.0","result":{"accessList":[],"blockHash":"${block}","blockNumber":"0x1","blockTimestamp":"<quantity>","chainId":"0x539","from":"${sender}","gas":"0x186a0","gasPrice":"0x2b4abd176000","hash":"${mined}","input":"0x","maxFeePerGas":"0x5af3107a4000","maxPriorityFeePerGas":"0x191a20322000","nonce":"0x0","r":"<hash>","s":"0xed7af94c9eae097a516b85f0d99c0313aaad0c0c3d6f975f51d802e4e039c5e","to":"${recipient}","transactionIndex":"0x0","type":"0x2","v":"0x1","value":"0x1","yParity":"0x1"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByBlockNumberAndIndex","params":["0x1","0x9"]}
<< {"id":1,"jsonrpc":"2.0","result":null}
