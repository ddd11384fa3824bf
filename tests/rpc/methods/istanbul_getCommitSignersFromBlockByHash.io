// spec: rpc 6.6: istanbul_getCommitSignersFromBlockByHash
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getCommitSignersFromBlockByHash","params":["${block}"]}
<< {"id":1,"jsonrpc":"2.0","result":{"Author":"<address>","Committers":["<address>"],"Hash":"${block}","Number":1}}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getCommitSignersFromBlockByHash","params":["0x0000000000000000000000000000000000000000000000000000000000000001"]}
<< {"error":{"code":-32000,"message":"unknown block"},"id":1,"jsonrpc":"2.0"}
