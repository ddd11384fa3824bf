// spec: rpc 5: istanbul_accountFlags
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_accountFlags","params":["${recipient}","latest"]}
<< {"id":1,"jsonrpc":"2.0","result":{"authorized":false,"blacklisted":false}}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_accountFlags","params":["${recipient}","0xffff"]}
<< {"error":{"code":-32000,"message":"unknown block"},"id":1,"jsonrpc":"2.0"}
