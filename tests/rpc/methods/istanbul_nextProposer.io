// spec: wbft 3.3: istanbul_nextProposer
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_nextProposer","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"<address>"}
