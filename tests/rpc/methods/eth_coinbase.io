// spec: rpc 4.1: eth_coinbase
>> {"jsonrpc":"2.0","id":1,"method":"eth_coinbase","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"<address>"}
