// spec: rpc 9.3: eth_estimateGas
>> {"jsonrpc":"2.0","id":1,"method":"eth_estimateGas","params":[{"from":"${sender}","to":"${recipient}","value":"0x1"}]}
<< {"id":1,"jsonrpc":"2.0","result":"0x5208"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_estimateGas","params":[{"from":"${sender}","to":"${recipient}","value":"0x1"},"latest"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x5208"}
