// spec: rpc 6.5: istanbul_getCommitSignersFromBlock
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getCommitSignersFromBlock","params":["0x1"]}
<< {"id":1,"jsonrpc":"2.0","result":{"Author":"<address>","Committers":["<address>"],"Hash":"${block}","Number":1}}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getCommitSignersFromBlock","params":["0x0"]}
<< {"error":{"code":-32000,"message":"zero seals: the genesis block has none, ask for a later one"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getCommitSignersFromBlock","params":["0xffff"]}
<< {"error":{"code":-32000,"message":"unknown block"},"id":1,"jsonrpc":"2.0"}
