// spec: rpc 4.2: txpool_status
>> {"jsonrpc":"2.0","id":1,"method":"txpool_status","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":{"pending":"0x0","queued":"0x0"}}
