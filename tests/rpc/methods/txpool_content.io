// spec: rpc 4.2: txpool_content
>> {"jsonrpc":"2.0","id":1,"method":"txpool_content","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":{"pending":{},"queued":{}}}
