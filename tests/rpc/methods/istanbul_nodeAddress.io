// spec: rpc 6.3: istanbul_nodeAddress
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_nodeAddress","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"<address>"}
