// spec: rpc 4.2: rpc_modules
>> {"jsonrpc":"2.0","id":1,"method":"rpc_modules","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":{"eth":"1.0","istanbul":"1.0","net":"1.0","rpc":"1.0","txpool":"1.0","web3":"1.0"}}
