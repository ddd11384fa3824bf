// spec: rpc 7: eth_maxPriorityFeePerGas
>> {"jsonrpc":"2.0","id":1,"method":"eth_maxPriorityFeePerGas","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"0x191a20322000"}
