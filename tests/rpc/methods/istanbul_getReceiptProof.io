// spec: rpc 9.7: istanbul_getReceiptProof
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getReceiptProof","params":["${mined}"]}
<< {}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getReceiptProof","params":["0x00000000000000000000000000000000000000000000000000000000000000aa"]}
<< {}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getReceiptProof","params":["${mined}","0xffff"]}
<< {}
