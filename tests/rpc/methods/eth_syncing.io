// spec: rpc 4.1: eth_syncing
>> {"jsonrpc":"2.0","id":1,"method":"eth_syncing","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":false}
