// spec: rpc 4.1: eth_getStorageAt
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0x0000000000000000000000000000000000001001","0x0","latest"]}
<< {"id":1,"jsonrpc":"2.0","result":"<hash>"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["${recipient}","0x0","0xffff"]}
<< {"error":{"code":-32000,"message":"header not found"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["${recipient}","slot","latest"]}
<< {"error":{"code":-32602,"message":"invalid hex in storage key: \"slot\""},"id":1,"jsonrpc":"2.0"}
