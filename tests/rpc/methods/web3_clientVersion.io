// spec: rpc 4.2: web3_clientVersion
>> {"jsonrpc":"2.0","id":1,"method":"web3_clientVersion","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"<version>"}
