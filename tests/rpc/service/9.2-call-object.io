// spec: rpc 9.2: a call object
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"from":"${sender}","to":"${recipient}","value":"0x1","gas":"0x5208","data":"0x"},"latest"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_estimateGas","params":[{"from":"${sender}","to":"${recipient}","value":"0x1"}]}
<< {"id":1,"jsonrpc":"2.0","result":"0x5208"}
