// spec: rpc 2.6: eth_uninstallFilter
>> {"jsonrpc":"2.0","id":1,"method":"eth_newBlockFilter","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"<quantity>"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_uninstallFilter","params":["${result}"]}
<< {"id":1,"jsonrpc":"2.0","result":true}
>> {"jsonrpc":"2.0","id":1,"method":"eth_uninstallFilter","params":["0x1"]}
<< {"id":1,"jsonrpc":"2.0","result":false}
