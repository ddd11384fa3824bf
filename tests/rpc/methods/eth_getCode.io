// spec: rpc 4.1: eth_getCode
>> {"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["0x0000000000000000000000000000000000001000","latest"]}
<< {"id":1,"jsonrpc":"2.0","result":"<data>"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["${recipient}","0xffff"]}
<< {"error":{"code":-32000,"message":"header not found"},"id":1,"jsonrpc":"2.0"}
