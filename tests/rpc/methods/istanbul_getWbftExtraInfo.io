// spec: rpc 6.8: istanbul_getWbftExtraInfo
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getWbftExtraInfo","params":["0x1"]}
<< {"id":1,"jsonrpc":"2.0","result":{"committedSeal":{"sealers":["<address>"],"signature":"<data>"},"epochInfo":null,"gasTip":"27600000000000","preparedSeal":{"sealers":["<address>"],"signature":"<data>"},"prevCommittedSeal":null,"prevPreparedSeal":null,"prevRound":"0x0","randaoReveal":"<data>","round":"0x0","vanityData":"<data>"}}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_getWbftExtraInfo","params":["0xffff"]}
<< {"error":{"code":-32000,"message":"block 65535 not found"},"id":1,"jsonrpc":"2.0"}
