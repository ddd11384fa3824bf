// spec: rpc 4.2: txpool_contentFrom
>> {"jsonrpc":"2.0","id":1,"method":"txpool_contentFrom","params":["${sender}"]}
<< {"id":1,"jsonrpc":"2.0","result":{"pending":{},"queued":{}}}
