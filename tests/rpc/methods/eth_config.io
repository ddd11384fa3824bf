// spec: rpc 4.1: eth_config
>> {"jsonrpc":"2.0","id":1,"method":"eth_config","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":{"current":null,"last":null,"next":null}}
