1.000 s
  + /default/Pass/ID/000000000001
  + /default/Pass/ID/status
    chains: 1, [1 1 1 1760000001000]
    next: 2

3.000 s
  + /default/Pass/ID/000000000002
  ~ /default/Pass/ID/status
    chains: 1, [1 2 1 1760000003000]
    next: 3

21.000 s
  + /default/Pass/ID/000000000003
  ~ /default/Pass/ID/status
    chains: 1, [1 3 1 1760000021000]
    next: 4

23.000 s
  + /default/Pass/ID/000000000004
  ~ /default/Pass/ID/status
    chains: 1, [1 4 1 1760000023000]
    next: 5

41.000 s
  + /default/Pass/ID/000000000005
  ~ /default/Pass/ID/status
    chains: 1, [1 5 1 1760000041000]
    next: 6

  + /default/Pass/ID/000000000006
  ~ /default/Pass/ID/status
    chains: 1, [1 6 1 1760000041000]
    next: 7

61.000 s
  + /default/Pass/ID/000000000007
  ~ /default/Pass/ID/status
    chains: 1, [1 7 1 1760000061000]
    next: 8

63.000 s
  + /default/Pass/ID/000000000008
  ~ /default/Pass/ID/status
    chains: 1, [1 8 1 1760000063000]
    next: 9

81.000 s
  + /default/Pass/ID/000000000009
  ~ /default/Pass/ID/status
    chains: 1, [1 9 1 1760000081000]
    next: 10

  + /default/Pass/ID/000000000010
  ~ /default/Pass/ID/status
    chains: 1, [1 10 1 1760000081000]
    next: 11

101.000 s
  + /default/Pass/ID/000000000011
  ~ /default/Pass/ID/status
    chains: 1, [1 11 1 1760000101000]
    next: 12

103.000 s
  + /default/Pass/ID/000000000012
  ~ /default/Pass/ID/status
    chains: 1, [1 12 1 1760000103000]
    next: 13

121.000 s
  + /default/Pass/ID/000000000013
  ~ /default/Pass/ID/status
    chains: 1, [1 13 1 1760000121000]
    next: 14

  + /default/Pass/ID/000000000014
  ~ /default/Pass/ID/status
    chains: 1, [1 14 1 1760000121000]
    next: 15

141.000 s
  + /default/Pass/ID/000000000015
  ~ /default/Pass/ID/status
    chains: 1, [1 15 1 1760000141000]
    next: 16

143.000 s
  + /default/Pass/ID/000000000016
  ~ /default/Pass/ID/status
    chains: 1, [1 16 1 1760000143000]
    next: 17

161.000 s
  + /default/Pass/ID/000000000017
  ~ /default/Pass/ID/status
    chains: 1, [1 17 1 1760000161000]
    next: 18

  + /default/Pass/ID/000000000018
  ~ /default/Pass/ID/status
    chains: 1, [1 18 1 1760000161000]
    next: 19

181.000 s
  + /default/Pass/ID/000000000019
  ~ /default/Pass/ID/status
    chains: 1, [1 19 1 1760000181000]
    next: 20

183.000 s
  + /default/Pass/ID/000000000020
  ~ /default/Pass/ID/status
    chains: 1, [1 20 1 1760000183000]
    next: 21

201.000 s
  + /default/Pass/ID/000000000021
  ~ /default/Pass/ID/status
    chains: 1, [1 21 1 1760000201000]
    next: 22

  + /default/Pass/ID/000000000022
  ~ /default/Pass/ID/status
    chains: 1, [1 22 1 1760000201000]
    next: 23

221.000 s
  + /default/Pass/ID/000000000023
  ~ /default/Pass/ID/status
    chains: 1, [1 23 1 1760000221000]
    next: 24

223.000 s
  + /default/Pass/ID/000000000024
  ~ /default/Pass/ID/status
    chains: 1, [1 24 1 1760000223000]
    next: 25

241.000 s
  + /default/Pass/ID/000000000025
  ~ /default/Pass/ID/status
    chains: 1, [1 25 1 1760000241000]
    next: 26

  + /default/Pass/ID/000000000026
  ~ /default/Pass/ID/status
    chains: 1, [1 26 1 1760000241000]
    next: 27

261.000 s
  + /default/Pass/ID/000000000027
  ~ /default/Pass/ID/status
    chains: 1, [1 27 1 1760000261000]
    next: 28

263.000 s
  + /default/Pass/ID/000000000028
  ~ /default/Pass/ID/status
    chains: 1, [1 28 1 1760000263000]
    next: 29

281.000 s
  + /default/Pass/ID/000000000029
  ~ /default/Pass/ID/status
    chains: 1, [1 29 1 1760000281000]
    next: 30

  + /default/Pass/ID/000000000030
  ~ /default/Pass/ID/status
    chains: 1, [1 30 1 1760000281000]
    next: 31

301.000 s
  + /default/Pass/ID/000000000031
  ~ /default/Pass/ID/status
    chains: 1, [1 31 1 1760000301000]
    next: 32

303.000 s
  + /default/Pass/ID/000000000032
  ~ /default/Pass/ID/status
    chains: 1, [1 32 1 1760000303000]
    next: 33

321.000 s
  + /default/Pass/ID/000000000033
  ~ /default/Pass/ID/status
    chains: 1, [1 33 1 1760000321000]
    next: 34

  + /default/Pass/ID/000000000034
  ~ /default/Pass/ID/status
    chains: 1, [1 34 1 1760000321000]
    next: 35

341.000 s
  + /default/Pass/ID/000000000035
  ~ /default/Pass/ID/status
    chains: 1, [1 35 1 1760000341000]
    next: 36

343.000 s
  + /default/Pass/ID/000000000036
  ~ /default/Pass/ID/status
    chains: 1, [1 36 1 1760000343000]
    next: 37

361.000 s
  + /default/Pass/ID/000000000037
  ~ /default/Pass/ID/status
    chains: 1, [1 37 1 1760000361000]
    next: 38

  + /default/Pass/ID/000000000038
  ~ /default/Pass/ID/status
    chains: 1, [1 38 1 1760000361000]
    next: 39

381.000 s
  + /default/Pass/ID/000000000039
  ~ /default/Pass/ID/status
    chains: 1, [1 39 1 1760000381000]
    next: 40

383.000 s
  + /default/Pass/ID/000000000040
  ~ /default/Pass/ID/status
    chains: 1, [1 40 1 1760000383000]
    next: 41

401.000 s
  + /default/Pass/ID/000000000041
  ~ /default/Pass/ID/status
    chains: 1, [1 41 1 1760000401000]
    next: 42

  + /default/Pass/ID/000000000042
  ~ /default/Pass/ID/status
    chains: 1, [1 42 1 1760000401000]
    next: 43

421.000 s
  + /default/Pass/ID/000000000043
  ~ /default/Pass/ID/status
    chains: 1, [1 43 1 1760000421000]
    next: 44

423.000 s
  + /default/Pass/ID/000000000044
  ~ /default/Pass/ID/status
    chains: 1, [1 44 1 1760000423000]
    next: 45

441.000 s
  + /default/Pass/ID/000000000045
  ~ /default/Pass/ID/status
    chains: 1, [1 45 1 1760000441000]
    next: 46

  + /default/Pass/ID/000000000046
  ~ /default/Pass/ID/status
    chains: 1, [1 46 1 1760000441000]
    next: 47

461.000 s
  + /default/Pass/ID/000000000047
  ~ /default/Pass/ID/status
    chains: 1, [1 47 1 1760000461000]
    next: 48

463.000 s
  + /default/Pass/ID/000000000048
  ~ /default/Pass/ID/status
    chains: 1, [1 48 1 1760000463000]
    next: 49

481.000 s
  + /default/Pass/ID/000000000049
  ~ /default/Pass/ID/status
    chains: 1, [1 49 1 1760000481000]
    next: 50

  + /default/Pass/ID/000000000050
  ~ /default/Pass/ID/status
    chains: 1, [1 50 1 1760000481000]
    next: 51

501.000 s
  + /default/Pass/ID/000000000051
  ~ /default/Pass/ID/status
    chains: 1, [1 51 1 1760000501000]
    next: 52

503.000 s
  + /default/Pass/ID/000000000052
  ~ /default/Pass/ID/status
    chains: 1, [1 52 1 1760000503000]
    next: 53

521.000 s
  + /default/Pass/ID/000000000053
  ~ /default/Pass/ID/status
    chains: 1, [1 53 1 1760000521000]
    next: 54

  + /default/Pass/ID/000000000054
  ~ /default/Pass/ID/status
    chains: 1, [1 54 1 1760000521000]
    next: 55

541.000 s
  + /default/Pass/ID/000000000055
  ~ /default/Pass/ID/status
    chains: 1, [1 55 1 1760000541000]
    next: 56

543.000 s
  + /default/Pass/ID/000000000056
  ~ /default/Pass/ID/status
    chains: 1, [1 56 1 1760000543000]
    next: 57

561.000 s
  + /default/Pass/ID/000000000057
  ~ /default/Pass/ID/status
    chains: 1, [1 57 1 1760000561000]
    next: 58

  + /default/Pass/ID/000000000058
  ~ /default/Pass/ID/status
    chains: 1, [1 58 1 1760000561000]
    next: 59

581.000 s
  + /default/Pass/ID/000000000059
  ~ /default/Pass/ID/status
    chains: 1, [1 59 1 1760000581000]
    next: 60

583.000 s
  + /default/Pass/ID/000000000060
  ~ /default/Pass/ID/status
    chains: 1, [1 60 1 1760000583000]
    next: 61

601.000 s
  + /default/Pass/ID/000000000061
  ~ /default/Pass/ID/status
    chains: 1, [1 61 1 1760000601000]
    next: 62

  + /default/Pass/ID/000000000062
  ~ /default/Pass/ID/status
    chains: 1, [1 62 1 1760000601000]
    next: 63

621.000 s
  + /default/Pass/ID/000000000063
  ~ /default/Pass/ID/status
    chains: 1, [1 63 1 1760000621000]
    next: 64

623.000 s
  + /default/Pass/ID/000000000064
  ~ /default/Pass/ID/status
    chains: 1, [1 64 1 1760000623000]
    next: 65

641.000 s
  + /default/Pass/ID/000000000065
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 1 1 1760000641000]
    next: 66

  + /default/Pass/ID/000000000066
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 2 1 1760000641000]
    next: 67

661.000 s
  + /default/Pass/ID/000000000067
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 3 1 1760000661000]
    next: 68

663.000 s
  + /default/Pass/ID/000000000068
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 4 1 1760000663000]
    next: 69

681.000 s
  + /default/Pass/ID/000000000069
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 5 1 1760000681000]
    next: 70

  + /default/Pass/ID/000000000070
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 6 1 1760000681000]
    next: 71

701.000 s
  + /default/Pass/ID/000000000071
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 7 1 1760000701000]
    next: 72

703.000 s
  + /default/Pass/ID/000000000072
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 8 1 1760000703000]
    next: 73

721.000 s
  + /default/Pass/ID/000000000073
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 9 1 1760000721000]
    next: 74

  + /default/Pass/ID/000000000074
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 10 1 1760000721000]
    next: 75

741.000 s
  + /default/Pass/ID/000000000075
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 11 1 1760000741000]
    next: 76

743.000 s
  + /default/Pass/ID/000000000076
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 12 1 1760000743000]
    next: 77

761.000 s
  + /default/Pass/ID/000000000077
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 13 1 1760000761000]
    next: 78

  + /default/Pass/ID/000000000078
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 14 1 1760000761000]
    next: 79

781.000 s
  + /default/Pass/ID/000000000079
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 15 1 1760000781000]
    next: 80

783.000 s
  + /default/Pass/ID/000000000080
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 16 1 1760000783000]
    next: 81

801.000 s
  + /default/Pass/ID/000000000081
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 17 1 1760000801000]
    next: 82

  + /default/Pass/ID/000000000082
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 18 1 1760000801000]
    next: 83

821.000 s
  + /default/Pass/ID/000000000083
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 19 1 1760000821000]
    next: 84

823.000 s
  + /default/Pass/ID/000000000084
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 20 1 1760000823000]
    next: 85

841.000 s
  + /default/Pass/ID/000000000085
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 21 1 1760000841000]
    next: 86

  + /default/Pass/ID/000000000086
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 22 1 1760000841000]
    next: 87

861.000 s
  + /default/Pass/ID/000000000087
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 23 1 1760000861000]
    next: 88

863.000 s
  + /default/Pass/ID/000000000088
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 24 1 1760000863000]
    next: 89

881.000 s
  + /default/Pass/ID/000000000089
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 25 1 1760000881000]
    next: 90

  + /default/Pass/ID/000000000090
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 26 1 1760000881000]
    next: 91

901.000 s
  + /default/Pass/ID/000000000091
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 27 1 1760000901000]
    next: 92

903.000 s
  + /default/Pass/ID/000000000092
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 28 1 1760000903000]
    next: 93

921.000 s
  + /default/Pass/ID/000000000093
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 29 1 1760000921000]
    next: 94

  + /default/Pass/ID/000000000094
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 30 1 1760000921000]
    next: 95

941.000 s
  + /default/Pass/ID/000000000095
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 31 1 1760000941000]
    next: 96

943.000 s
  + /default/Pass/ID/000000000096
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 32 1 1760000943000]
    next: 97

961.000 s
  + /default/Pass/ID/000000000097
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 33 1 1760000961000]
    next: 98

  + /default/Pass/ID/000000000098
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 34 1 1760000961000]
    next: 99

981.000 s
  + /default/Pass/ID/000000000099
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 35 1 1760000981000]
    next: 100

983.000 s
  + /default/Pass/ID/000000000100
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 36 1 1760000983000]
    next: 101

1001.000 s
  + /default/Pass/ID/000000000101
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 37 1 1760001001000]
    next: 102

  + /default/Pass/ID/000000000102
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 38 1 1760001001000]
    next: 103

1021.000 s
  + /default/Pass/ID/000000000103
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 39 1 1760001021000]
    next: 104

1023.000 s
  + /default/Pass/ID/000000000104
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 40 1 1760001023000]
    next: 105

1041.000 s
  + /default/Pass/ID/000000000105
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 41 1 1760001041000]
    next: 106

  + /default/Pass/ID/000000000106
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 42 1 1760001041000]
    next: 107

1061.000 s
  + /default/Pass/ID/000000000107
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 43 1 1760001061000]
    next: 108

1063.000 s
  + /default/Pass/ID/000000000108
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 44 1 1760001063000]
    next: 109

1081.000 s
  + /default/Pass/ID/000000000109
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 45 1 1760001081000]
    next: 110

  + /default/Pass/ID/000000000110
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 46 1 1760001081000]
    next: 111

1101.000 s
  + /default/Pass/ID/000000000111
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 47 1 1760001101000]
    next: 112

1103.000 s
  + /default/Pass/ID/000000000112
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 48 1 1760001103000]
    next: 113

1121.000 s
  + /default/Pass/ID/000000000113
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 49 1 1760001121000]
    next: 114

  + /default/Pass/ID/000000000114
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 50 1 1760001121000]
    next: 115

1141.000 s
  + /default/Pass/ID/000000000115
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 51 1 1760001141000]
    next: 116

1143.000 s
  + /default/Pass/ID/000000000116
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 52 1 1760001143000]
    next: 117

1161.000 s
  + /default/Pass/ID/000000000117
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 53 1 1760001161000]
    next: 118

  + /default/Pass/ID/000000000118
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 54 1 1760001161000]
    next: 119

1181.000 s
  + /default/Pass/ID/000000000119
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 55 1 1760001181000]
    next: 120

1183.000 s
  + /default/Pass/ID/000000000120
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 56 1 1760001183000]
    next: 121

1201.000 s
  + /default/Pass/ID/000000000121
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 57 1 1760001201000]
    next: 122

  + /default/Pass/ID/000000000122
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 58 1 1760001201000]
    next: 123

1221.000 s
  + /default/Pass/ID/000000000123
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 59 1 1760001221000]
    next: 124

1223.000 s
  + /default/Pass/ID/000000000124
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 60 1 1760001223000]
    next: 125

1241.000 s
  + /default/Pass/ID/000000000125
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 61 1 1760001241000]
    next: 126

  + /default/Pass/ID/000000000126
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 62 1 1760001241000]
    next: 127

1261.000 s
  + /default/Pass/ID/000000000127
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 63 1 1760001261000]
    next: 128

1263.000 s
  + /default/Pass/ID/000000000128
  ~ /default/Pass/ID/status
    chains: 2, [1 64 1 1760000623000], [65 64 1 1760001263000]
    next: 129

1281.000 s
  + /default/Pass/ID/000000000129
  ~ /default/Pass/ID/status
    chains: 3, [1 64 1 1760000623000], [129 1 1 1760001281000]
    next: 130

  + /default/Pass/ID/000000000130
  ~ /default/Pass/ID/status
    chains: 3, [1 64 1 1760000623000], [129 2 1 1760001281000]
    next: 131

1301.000 s
  + /default/Pass/ID/000000000131
  ~ /default/Pass/ID/status
    chains: 3, [1 64 1 1760000623000], [129 3 1 1760001301000]
    next: 132

1303.000 s
  + /default/Pass/ID/000000000132
  ~ /default/Pass/ID/status
    chains: 3, [1 64 1 1760000623000], [129 4 1 1760001303000]
    next: 133

1321.000 s
  + /default/Pass/ID/000000000133
  ~ /default/Pass/ID/status
    chains: 3, [1 64 1 1760000623000], [129 5 1 1760001321000]
    next: 134

  + /default/Pass/ID/000000000134
  ~ /default/Pass/ID/status
    chains: 3, [1 64 1 1760000623000], [129 6 1 1760001321000]
    next: 135

1341.000 s
  + /default/Pass/ID/000000000135
  ~ /default/Pass/ID/status
    chains: 3, [1 64 1 1760000623000], [129 7 1 1760001341000]
    next: 136

1343.000 s
  + /default/Pass/ID/000000000136
  ~ /default/Pass/ID/status
    chains: 3, [1 64 1 1760000623000], [129 8 1 1760001343000]
    next: 137

1361.000 s
  + /default/Pass/ID/000000000137
  ~ /default/Pass/ID/status
    chains: 3, [1 64 1 1760000623000], [129 9 1 1760001361000]
    next: 138

  + /default/Pass/ID/000000000138
  ~ /default/Pass/ID/status
    chains: 3, [1 64 1 1760000623000], [129 10 1 1760001361000]
    next: 139

1381.000 s
  + /default/Pass/ID/000000000139
  ~ /default/Pass/ID/status
    chains: 3, [1 64 1 1760000623000], [129 11 1 1760001381000]
    next: 140

1383.000 s
  + /default/Pass/ID/000000000140
  ~ /default/Pass/ID/status
    chains: 3, [1 64 1 1760000623000], [129 12 1 1760001383000]
    next: 141

1401.000 s
=== many more machines, and another manager
  + /default/Pass/ID/000000000141
  ~ /default/Pass/ID/status
    chains: 3, [1 64 1 1760000623000], [129 13 1 1760001401000]
    next: 142

1403.000 s
  + /default/Pass/ID/000000000142
  ~ /default/Pass/ID/status
    chains: 4, [1 64 1 1760000623000], [142 1 1 1760001403000]
    next: 143

1461.000 s
  + /default/Pass/ID/000000000143
  ~ /default/Pass/ID/status
    chains: 5, [1 64 1 1760000623000], [143 1 1 1760001461000]
    next: 144

  + /default/Pass/ID/000000000144
  ~ /default/Pass/ID/status
    chains: 5, [1 64 1 1760000623000], [143 2 1 1760001461000]
    next: 145

=== the end
1521.000 s
