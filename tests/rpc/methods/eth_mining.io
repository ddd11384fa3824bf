// spec: rpc 4.1: eth_mining
>> {"jsonrpc":"2.0","id":1,"method":"eth_mining","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":true}
