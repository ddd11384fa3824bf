// spec: rpc 9.6, 9.7: a range ends where it begins or later
>> {"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x2","toBlock":"0x1"}]}
<< {"error":{"code":-32602,"message":"invalid block range params: fromBlock 2 is above toBlock 1"},"id":1,"jsonrpc":"2.0"}
