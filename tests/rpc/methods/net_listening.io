// spec: rpc 4.2: net_listening
>> {"jsonrpc":"2.0","id":1,"method":"net_listening","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":true}
