// spec: rpc 9.5: eth_getCode and eth_getStorageAt of an account without either
>> {"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["${recipient}","latest"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["${recipient}","0x0","latest"]}
<< {"id":1,"jsonrpc":"2.0","result":"<hash>"}
