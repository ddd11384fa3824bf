// spec: rpc 4.2: net_version
>> {"jsonrpc":"2.0","id":1,"method":"net_version","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"1337"}
