// spec: rpc 2.4: id number or string is echoed
>> {"jsonrpc":"2.0","id":7,"method":"eth_chainId","params":[]}
<< {"id":7,"jsonrpc":"2.0","result":"0x539"}
>> {"jsonrpc":"2.0","id":1.5,"method":"eth_chainId","params":[]}
<< {"id":1.5,"jsonrpc":"2.0","result":"0x539"}
>> {"jsonrpc":"2.0","id":"seven","method":"eth_chainId","params":[]}
<< {"id":"seven","jsonrpc":"2.0","result":"0x539"}
