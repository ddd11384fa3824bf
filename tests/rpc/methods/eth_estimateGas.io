// spec: rpc 4.1, 7: eth_estimateGas
>> {"jsonrpc":"2.0","id":1,"method":"eth_estimateGas","params":[{"from":"${sender}","to":"${recipient}","value":"0x1"}]}
<< {"id":1,"jsonrpc":"2.0","result":"0x5208"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_estimateGas","params":[{"from":"${sender}","to":"0x0000000000000000000000000000000000000000","value":"0x1"}]}
<< {"error":{"code":-32000,"message":"transfer to zero address not allowed"},"id":1,"jsonrpc":"2.0"}
