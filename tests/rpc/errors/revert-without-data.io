// spec: rpc 2.5: a revert without data. go-stablenet answers -32000 without data
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"data":"0x60006000fd"},"latest"]}
<< {"error":{"code":3,"data":"0x","message":"execution reverted"},"id":1,"jsonrpc":"2.0"}
