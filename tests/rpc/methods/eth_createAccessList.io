// spec: rpc 4.1, 7: eth_createAccessList
>> {"jsonrpc":"2.0","id":1,"method":"eth_createAccessList","params":[{"from":"${sender}","to":"0x0000000000000000000000000000000000001000","data":"0x95d89b41"},"latest"]}
<< {"id":1,"jsonrpc":"2.0","result":{"accessList":[{"address":"<address>","storageKeys":["<hash>"]}],"gasUsed":"0x67a3"}}
