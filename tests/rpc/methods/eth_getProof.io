// spec: rpc 4.1, 7: eth_getProof
>> {"jsonrpc":"2.0","id":1,"method":"eth_getProof","params":["${recipient}",[],"latest"]}
<< {"id":1,"jsonrpc":"2.0","result":{"accountProof":["<data>","<data>","<data>"],"address":"${recipient}","balance":"0x1","codeHash":"<hash>","nonce":"0x0","storageHash":"<hash>","storageProof":[]}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getProof","params":["${recipient}",[],"0xffff"]}
<< {"error":{"code":-32000,"message":"header not found"},"id":1,"jsonrpc":"2.0"}
