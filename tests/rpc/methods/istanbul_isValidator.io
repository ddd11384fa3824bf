// spec: rpc 6.4: istanbul_isValidator
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_isValidator","params":["latest"]}
<< {"id":1,"jsonrpc":"2.0","result":true}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_isValidator","params":["0xffff"]}
<< {"id":1,"jsonrpc":"2.0","result":false}
