// spec: rpc 9.6: each public namespace answers
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"0x539"}
>> {"jsonrpc":"2.0","id":1,"method":"net_listening","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":true}
>> {"jsonrpc":"2.0","id":1,"method":"txpool_status","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":{"pending":"0x0","queued":"0x0"}}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getValidators","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":["<address>"]}
>> {"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["0x"]}
<< {"id":1,"jsonrpc":"2.0","result":"<hash>"}
