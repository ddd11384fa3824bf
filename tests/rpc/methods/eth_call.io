// spec: rpc 4.1, 7: eth_call
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0x0000000000000000000000000000000000001000","data":"0x95d89b41"},"latest"]}
<< {"id":1,"jsonrpc":"2.0","result":"<data>"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"from":"${sender}","to":"0x0000000000000000000000000000000000000000","value":"0x1"},"latest"]}
<< {"error":{"code":-32000,"message":"transfer to zero address not allowed"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"${recipient}"},"0xffff"]}
<< {"error":{"code":-32000,"message":"header not found"},"id":1,"jsonrpc":"2.0"}
