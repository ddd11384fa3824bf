// spec: rpc 4.2: rpc.discover
>> {"jsonrpc":"2.0","id":1,"method":"rpc.discover","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":{"components":"<any>","info":"<any>","methods":"<any>","openrpc":"1.3.2"}}
