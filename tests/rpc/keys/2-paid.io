// spec: rpc 9.4: the fee payer pays the gas, the sender its value alone
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${second}","latest"]}
<< {"id":1,"jsonrpc":"2.0","result":"0x33b2e3c9fd0803ce7ffffff"}
