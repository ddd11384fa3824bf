// spec: rpc 4.2: web3_sha3
>> {"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["0x68656c6c6f"]}
<< {"id":1,"jsonrpc":"2.0","result":"<hash>"}
