// spec: rpc 9.6: transactions are authenticated by their signature
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["${unsigned}"]}
<< {"error":{"code":-32000,"message":"invalid sender: invalid transaction v, r, s values"},"id":1,"jsonrpc":"2.0"}
