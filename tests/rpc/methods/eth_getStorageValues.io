// spec: rpc 4.1: eth_getStorageValues
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageValues","params":[{"0x0000000000000000000000000000000000001001":["0x0000000000000000000000000000000000000000000000000000000000000000"]},"latest"]}
<< {"id":1,"jsonrpc":"2.0","result":{"0x0000000000000000000000000000000000001001":["<hash>"]}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageValues","params":[{},"latest"]}
<< {"error":{"code":-32602,"message":"empty request"},"id":1,"jsonrpc":"2.0"}
