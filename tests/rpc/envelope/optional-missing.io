// spec: rpc 2.4: trailing optional params missing or null
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${recipient}"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x1"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${recipient}",null]}
<< {"id":1,"jsonrpc":"2.0","result":"0x1"}
