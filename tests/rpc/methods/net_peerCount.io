// spec: rpc 4.2: net_peerCount
>> {"jsonrpc":"2.0","id":1,"method":"net_peerCount","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"0x0"}
